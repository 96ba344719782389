/** Drawn before it is scrolled into the window, in pixels. */
const EARLY_PX = 200;

/** Whether a panel is within the window. One that is not is not drawn again. */
export class Sight {
  isSeen = $state(true);

  readonly watch = (element: Element): (() => void) => {
    const observer = new IntersectionObserver(
      (entries) => {
        this.isSeen = entries.at(-1)?.isIntersecting ?? true;
      },
      { rootMargin: `${EARLY_PX}px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  };
}
