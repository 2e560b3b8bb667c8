package dev.fairlead.money.usage;

/**
 * What a tenant used of capacity that is paid by the hour in one hour, and how long reserved GPUs
 * of the model that it may use were free. Amounts are thousandths of a GPU times milliseconds.
 *
 * @param hourMillis begin of the hour, in milliseconds since 1970
 * @param spilled use of which it is known what reserved capacity did
 * @param unknown other use
 * @param free time of reserved GPUs
 */
public record SpillHour(String model, long hourMillis, long spilled, long unknown, long free) {}
