package dev.fairlead.data.transfer.service;

import dev.fairlead.data.transfer.ObjectStorePlace;
import jakarta.validation.constraints.Pattern;
import java.util.Optional;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * The bucket through which volumes are copied. Jobs access the bucket. This process does not.
 *
 * @param bucket empty for no transfers
 * @param prefix prefix of all keys. Unique for each installation
 * @param endpoint endpoint of a server other than AWS, empty for the endpoint of the region
 * @param region us-east-1 when empty
 * @param pathStyle whether the bucket is part of the path instead of the host name
 * @param secret name of the secret that a project needs, with the keys AWS_ACCESS_KEY_ID and
 *     AWS_SECRET_ACCESS_KEY
 * @param image image of the jobs, with Python 3.9 or later
 */
@Validated
@ConfigurationProperties("fairlead.transfers")
public record TransferSettings(
    @DefaultValue("")
        @Pattern(
            regexp = "|[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]",
            message = "must be the name of a bucket: 3 to 63 of a-z, 0-9, . and -")
        String bucket,
    @DefaultValue("fairlead-transfers")
        @Pattern(
            regexp = "[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*",
            message = "must be parts of A-Z, a-z, 0-9, ., _ and - with / between them")
        String prefix,
    @DefaultValue("")
        @Pattern(
            regexp = "|https?://[^/?#@\\s]+/?",
            message = "must be an address without a path, such as https://s3.example:9000")
        String endpoint,
    @DefaultValue("")
        @Pattern(
            regexp = "|[a-z0-9-]+",
            message = "must be the name of a region, such as eu-central-1")
        String region,
    @DefaultValue("false") boolean pathStyle,
    @DefaultValue("object-store")
        @Pattern(
            regexp = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?",
            message = "must be the name of a project secret: a DNS label")
        String secret,
    @DefaultValue("docker.io/library/python:3.13-slim")
        @Pattern(regexp = "\\S+", message = "must be an image reference")
        String image) {
  private static final String REGION = "us-east-1";

  /** The result is empty when transfers are disabled. */
  Optional<ObjectStorePlace> place() {
    if (bucket.isEmpty()) {
      return Optional.empty();
    }
    String of = region.isEmpty() ? REGION : region;
    String server =
        endpoint.isEmpty() ? "https://s3." + of + ".amazonaws.com" : endpoint.replaceAll("/$", "");
    return Optional.of(new ObjectStorePlace(server, of, bucket, prefix, pathStyle, secret, image));
  }
}
