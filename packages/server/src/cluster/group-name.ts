/** The group of ingesters that has the primary venue. It always exists, and its keys have no group name. */
export const PRIMARY_GROUP = 'primary';
