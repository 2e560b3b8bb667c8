package dev.fairlead.work.log.chunk;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Pattern;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Location of stored logs: a directory, a bucket, or none.
 *
 * @param directory directory shared by all processes, empty if none
 */
@Validated
@ConfigurationProperties("fairlead.logs")
record LogPlaceSettings(@DefaultValue("") String directory, @DefaultValue @Valid S3 s3) {

  /**
   * A bucket of S3 or of a server that implements its protocol.
   *
   * @param bucket name of the bucket, empty if none
   * @param prefix prefix of all keys, so that a bucket may be shared
   * @param endpoint address of a server other than AWS, empty for the endpoint of the region
   * @param region region, empty for the region of the environment, or us-east-1 with an endpoint
   * @param pathStyle whether the bucket is part of the path instead of the host name
   * @param accessKey access key, empty for the credentials of the environment: variables, a service
   *     account, the machine
   * @param secretKey secret of the access key
   * @param caFile trusted certificates (PEM), empty for the certificates of the JVM
   */
  record S3(
      @DefaultValue("")
          @Pattern(
              regexp = "|[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]",
              message = "must be the name of a bucket: 3 to 63 of a-z, 0-9, . and -")
          String bucket,
      @DefaultValue("")
          @Pattern(
              regexp = "|[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*/?",
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
      @DefaultValue("") String accessKey,
      @DefaultValue("") String secretKey,
      @DefaultValue("") String caFile) {

    /** Prefix of keys: empty, or ends with a slash. */
    String folder() {
      return prefix.isEmpty() || prefix.endsWith("/") ? prefix : prefix + "/";
    }

    /** Does not contain the secret. */
    @Override
    public String toString() {
      return "S3[" + bucket + ", " + prefix + ", " + endpoint + "]";
    }
  }
}
