export { orderBooks } from '../okx/order-books.ts';
