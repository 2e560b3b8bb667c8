package dev.fairlead.verify.engine.fgd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Small lists in the format of the public lists. */
final class OpenbFiles {
  private static final String NODES = "sn,cpu_milli,memory_mib,gpu,model\n";
  private static final String PODS = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\n";

  private OpenbFiles() {}

  static Path nodes(Path directory, String... rows) throws IOException {
    return Files.writeString(
        directory.resolve("nodes.csv"), NODES + String.join("\n", rows) + "\n");
  }

  static Path pods(Path directory, String... rows) throws IOException {
    return Files.writeString(
        directory.resolve("openb_pod_list_small.csv"), PODS + String.join("\n", rows) + "\n");
  }
}
