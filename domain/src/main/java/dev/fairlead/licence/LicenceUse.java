package dev.fairlead.licence;

/**
 * A licence and what is held of it.
 *
 * @param held by all attempts together; more than there are after the count was lowered
 * @param jobs how many attempts hold it
 */
public record LicenceUse(Licence licence, long held, long jobs) {}
