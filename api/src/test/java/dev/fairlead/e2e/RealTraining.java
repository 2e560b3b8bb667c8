package dev.fairlead.e2e;

import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Jobs on real nodes that count steps and save the number in a volume. At a checkpoint request each
 * member waits until the test lets it save and exit.
 */
final class RealTraining {
  static final String PROGRAM =
      """
      import os, sys, time
      place, index = "/training/" + os.environ["FAIRLEAD_JOB_ID"], os.environ["FAIRLEAD_INDEX"]
      step = int(open(place).read()) if os.path.exists(place) else 0
      print("attempt", os.environ["FAIRLEAD_ATTEMPT"], "resumes" if step else "begins", step)
      while True:
          time.sleep(0.1)
          step += 1
          if open(os.environ["FAIRLEAD_CHECKPOINT_FILE"]).read().strip():
              open(place + ".asked-" + index, "w").close()
              while not os.path.exists(place + ".save"): time.sleep(0.1)
              if index == "0": open(place, "w").write(str(step))
              sys.exit(0)
      """;

  /** A claim is removed after its last pod, so each suite has a separate claim. */
  private final String claim = "training-" + Long.toString(System.nanoTime(), 36);

  private final RealFairlead real;
  private final Path files;

  RealTraining(RealFairlead real, Path files) throws IOException {
    this.real = real;
    this.files = files;
    Files.setPosixFilePermissions(files, PosixFilePermissions.fromString("rwxrwxrwx"));
    // the first job creates the namespace of the claim
    real.reach(real.submit("gpu: 0", "print('here')"), "SUCCEEDED");
    real.claim(claim, files);
  }

  /** Fields of the job. */
  String fields() {
    return "volumes: [{claim: %s, mountPath: /training}]\npreemption: {checkpointTimeout: 2m, gracePeriod: 5s}"
        .formatted(claim);
  }

  private Path file(String job, String end) {
    return files.resolve(job.substring(job.lastIndexOf('/') + 1) + end);
  }

  /** Waits until all members have read the checkpoint request. */
  void awaitAsked(String job, int members) {
    for (int member = 0; member < members; member++) {
      Path asked = file(job, ".asked-" + member);
      await("checkpoint request of " + asked)
          .atMost(RealFairlead.PATIENCE)
          .until(() -> Files.exists(asked));
    }
  }

  /** Lets the members save and exit. */
  void saves(String job) throws IOException {
    Files.createFile(file(job, ".save"));
  }

  void end() {
    TestCluster plane = real.cluster().plane();
    String _ = plane.kubectl("delete", "pvc/" + claim, "-n", real.namespace(), "--wait=false");
    String _ = plane.kubectl("delete", "pv/" + claim, "--wait=false");
  }
}
