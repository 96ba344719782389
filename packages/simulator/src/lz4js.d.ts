declare module 'lz4js' {
  const lz4: { compress(bytes: Uint8Array): Uint8Array };
  export default lz4;
}
