/** Endpoints that a customer may have; docs/openapi.json does not carry the number. */
export const slots = 5;
