package dev.fairlead.people.tenant;

/**
 * The request by which a principal acts.
 *
 * @param requestId in the answer and in the log too
 * @param address of the machine that sent it, as the service sees it
 */
public record Origin(String requestId, String address) {}
