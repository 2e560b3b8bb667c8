package dev.fairlead.data.transfer;

/**
 * The bucket through which volumes are copied, and how jobs reach it.
 *
 * @param endpoint address of a server of the S3 protocol
 * @param prefix prefix of all keys, without slashes at its ends. Each installation needs its own
 * @param pathStyle whether the bucket is part of the path and not of the host's name
 * @param secret project secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY
 * @param image with Python 3.9 or later
 */
public record ObjectStorePlace(
    String endpoint,
    String region,
    String bucket,
    String prefix,
    boolean pathStyle,
    String secret,
    String image) {}
