package dev.fairlead.verify.load.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Changes by Fairlead in the audit log of an API server. */
final class AuditLog {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String FAIRLEAD = "system:serviceaccount:fairlead-system:fairlead";
  private final Path file;

  AuditLog(Path file) {
    this.file = file;
  }

  /** Number of requests of that verb for objects of attempts, without dry runs. */
  long writes(String verb) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.contains(FAIRLEAD))
          .map(JSON::readTree)
          .filter(event -> event.path("verb").asString("").equals(verb))
          .filter(AuditLog::ofAttempts)
          .count();
    }
  }

  private static boolean ofAttempts(JsonNode event) {
    JsonNode object = event.path("objectRef");
    return event.at("/user/username").asString("").equals(FAIRLEAD)
        && object.path("name").asString("").startsWith("fl-")
        && !event.path("requestURI").asString("").contains("dryRun");
  }
}
