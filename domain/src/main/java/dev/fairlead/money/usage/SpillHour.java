package dev.fairlead.money.usage;

/**
 * Hourly capacity used by a tenant in one hour, and the free time of reserved GPUs of the model
 * that it may use. Amounts are thousandths of a GPU times milliseconds.
 *
 * @param hourMillis start of the hour, in milliseconds since 1970
 * @param spilled use of on-demand and spot capacity
 * @param free time of reserved GPUs
 */
public record SpillHour(String model, long hourMillis, long spilled, long free) {}
