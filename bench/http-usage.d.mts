export function reportUsage(port: number, more?: object): void;
