/** A drawing on a ground, as a picture. */
export async function pictureOf(drawn: HTMLCanvasElement, ground: string): Promise<Blob> {
  const whole = new OffscreenCanvas(drawn.width, drawn.height);
  const context = whole.getContext('2d');
  if (!context) throw new Error('this browser cannot create images');
  context.fillStyle = ground;
  context.fillRect(0, 0, drawn.width, drawn.height);
  context.drawImage(drawn, 0, 0);
  return whole.convertToBlob({ type: 'image/png' });
}
