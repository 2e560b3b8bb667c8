package dev.fairlead.people.tenant;

/**
 * The request by which a principal acts.
 *
 * @param requestId also in the response and in the log
 * @param address address of the machine that sent it, as seen by the service
 */
public record Origin(String requestId, String address) {}
