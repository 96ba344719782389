import { orderBooks as orderBooksOf } from '../bybit/order-books.ts';

/** A request of pairs has at most 10 topics [D]. */
export const orderBooks = orderBooksOf('spot');
