package dev.fairlead.work.job.web.spec;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.spec.JobSpec.VolumeSpec;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * A volume of the project, an existing claim of its namespace, or a secret of the project. Exactly
 * one of the three is required.
 *
 * @param claim name of a PersistentVolumeClaim in the namespace of the project
 * @param secret name of a secret of the project. Each key becomes a file
 * @param volume name of a volume of the project
 * @param mountPath absolute path in the container
 * @param readOnly whether the program can only read it
 */
@Schema(name = "VolumeRequest")
record VolumeRequest(
    @Size(min = 1, max = Names.LONGEST_SUBDOMAIN)
        @Pattern(regexp = Names.SUBDOMAIN_PATTERN, message = Names.SUBDOMAIN_RULE)
        @Nullable String claim,
    @DnsLabel @Nullable String secret,
    @DnsLabel(max = Volume.LONGEST_NAME) @Nullable String volume,
    @JsonDeserialize(using = PathReader.class) String mountPath,
    @Nullable Boolean readOnly)
    implements RequestRules {
  @Override
  public void check(Fields given) {
    List<String> sources = Stream.of("volume", "claim", "secret").filter(given::has).toList();
    if (sources.isEmpty()) {
      given.required(
          "volume",
          "the name of a volume of the project, or claim the name of a claim, or secret the"
              + " name of a secret.");
    } else if (sources.size() > 1) {
      given.refuse(
          sources.getLast(),
          ProblemCode.CONFLICTING_FIELDS,
          "Set only volume, claim or secret.",
          null);
    }
    if (given.has("secret") && Boolean.FALSE.equals(readOnly)) {
      given.refuse(
          "readOnly", ProblemCode.CONFLICTING_FIELDS, "A secret is mounted for reading.", "true");
    }
  }

  VolumeSpec spec() {
    if (secret != null) {
      return VolumeSpec.ofSecret(secret, mountPath);
    }
    boolean reads = Objects.requireNonNullElse(readOnly, false);
    return volume == null
        ? VolumeSpec.ofClaim(Objects.requireNonNull(claim), mountPath, reads)
        : VolumeSpec.ofVolume(volume, mountPath, reads);
  }

  /** Reads an absolute path where a volume can be mounted. */
  static final class PathReader extends FieldReader<String> {
    private static final int LONGEST = 512;
    private static final java.util.regex.Pattern MOUNT =
        java.util.regex.Pattern.compile("(/[A-Za-z0-9._-]+)+/?");
    private static final java.util.regex.Pattern SYSTEM =
        java.util.regex.Pattern.compile("/(proc|sys|dev|var/run/(secrets|fairlead))(/.*)?");

    @Override
    protected Optional<String> read(Value value) {
      return value
          .text(LONGEST)
          .flatMap(text -> {
            boolean dots =
                List.of(text.split("/")).stream()
                    .anyMatch(part -> part.equals("..") || part.equals("."));
            return MOUNT.matcher(text).matches() && !dots && !SYSTEM.matcher(text).matches()
                ? Optional.of(text)
                : value.bad(
                    "must be an absolute path outside /proc, /sys and /dev, without . and .., not"
                        + " "
                        + value.shown(),
                    null);
          });
    }
  }
}
