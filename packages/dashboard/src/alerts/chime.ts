/** Two notes, in Hz and seconds. */
const NOTES = [880, 1_175] as const;
const NOTE_S = 0.14;
const VOLUME = 0.12;

let audio: AudioContext | undefined;

/** Plays a short sound. Browsers play nothing before the first click. */
export function chime(direction: 'rising' | 'falling' = 'rising'): void {
  if (!navigator.userActivation.hasBeenActive) return;
  audio ??= new AudioContext();
  if (audio.state === 'suspended') void audio.resume();
  const notes = direction === 'rising' ? NOTES : NOTES.toReversed();
  for (const [place, frequency] of notes.entries()) {
    const start = audio.currentTime + place * NOTE_S;
    const tone = new OscillatorNode(audio, { frequency, type: 'sine' });
    const volume = new GainNode(audio, { gain: VOLUME });
    volume.gain.setTargetAtTime(0, start + NOTE_S / 2, NOTE_S / 4);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 2 * NOTE_S);
  }
}
