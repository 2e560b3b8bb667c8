package dev.fairlead.work.job.web.view;

import jakarta.validation.constraints.Pattern;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Addresses of output in the log store of the platform, as URI templates (RFC 6570).
 *
 * @param jobUrl address of the output of a job, empty if none
 * @param memberUrl address of the output of a member, empty if none
 */
@Validated
@ConfigurationProperties("fairlead.logs")
record LogUrlSettings(
    @DefaultValue("")
        @Pattern(
            regexp = ADDRESS + "job|project|tenant" + COMMON,
            message =
                "must be an http or https URL, percent-encoded, with no variables other than"
                    + " {job}, {project}, {tenant}, {cluster}, {from} and {to}")
        String jobUrl,
    @DefaultValue("")
        @Pattern(
            regexp = ADDRESS + "job|attempt|role|index|pod" + COMMON,
            message =
                "must be an http or https URL, percent-encoded, with no variables other than"
                    + " {job}, {attempt}, {role}, {index}, {pod}, {cluster}, {from} and {to}")
        String memberUrl) {
  /** Nothing, or the host without a variable and without a password, then the path. */
  private static final String ADDRESS =
      "|https?://[A-Za-z0-9.:\\[\\]-]+"
          + "(?:/(?:[A-Za-z0-9._~:/?#\\[\\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2}|\\{(?:";

  private static final String COMMON = "|cluster|from|to)})*)?";
}
