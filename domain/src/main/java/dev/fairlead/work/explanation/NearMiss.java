package dev.fairlead.work.explanation;

/**
 * A change that would let the job start now.
 *
 * @param field field of the spec, as on the wire
 */
public record NearMiss(String field, String from, String to, String effect) {}
