package dev.fairlead.work.serving.key;

import java.time.Instant;

/**
 * Use of a key in a calendar minute, for its limits.
 *
 * @param minute its begin
 * @param requests admitted requests
 * @param tokens tokens of ended requests. A stream without a {@code usage} object counts one token
 *     for each event and for each four bytes of its request
 */
public record KeyMinute(ServiceKey.Name key, Instant minute, long requests, long tokens) {}
