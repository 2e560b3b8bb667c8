package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.WorkdirSpec;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the code of a job. */
final class WorkdirReader {
  private static final String WORKDIR = "workdir";
  private static final int LONGEST = 80;

  private WorkdirReader() {}

  static @Nullable WorkdirSpec read(Fields job) {
    Optional<Fields> given = job.get(WORKDIR).flatMap(Value::fields);
    Optional<String> digest =
        given
            .flatMap(f ->
                f.required("digest", "the digest of an upload: sha256: and 64 hexadecimal digits."))
            .flatMap(WorkdirReader::digest);
    given.ifPresent(Fields::done);
    return digest.map(WorkdirSpec::new).orElse(null);
  }

  private static Optional<String> digest(Value value) {
    return value
        .text(LONGEST)
        .flatMap(text ->
            WorkdirSpec.isDigest(text)
                ? Optional.of(text)
                : value.bad(
                    "must be sha256: and 64 hexadecimal digits in lower case, not " + value.shown(),
                    null));
  }

  static void agree(Fields job, JobSpec spec) {
    boolean hidden =
        spec.volumes().stream()
            .anyMatch(mounted -> mounted.mountPath().equals(WorkdirSpec.DIRECTORY));
    if (spec.workdir() != null && hidden) {
      job.refuse(
          WORKDIR,
          ProblemCode.CONFLICTING_FIELDS,
          "A volume is mounted at %s, where the code is unpacked: mount it elsewhere."
              .formatted(WorkdirSpec.DIRECTORY),
          null);
    }
  }
}
