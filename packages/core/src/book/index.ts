export { BOOK_LEVELS_MAX, type Book, type BookLevel, type BookSides, type VenueBook } from './book.ts';
export { applyDelta, bookDelta } from './book-delta.ts';
export { type BookViews, mergeBook } from './merge-book.ts';
export { type BookChange, DEPTH_LEVELS_MAX, DepthBook } from './depth-book.ts';
