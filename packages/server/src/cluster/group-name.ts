/** The group of ingesters that has the primary venue. It always exists, and its keys are without a name. */
export const PRIMARY_GROUP = 'primary';
