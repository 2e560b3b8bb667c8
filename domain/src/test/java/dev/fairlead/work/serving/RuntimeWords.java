package dev.fairlead.work.serving;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Prints the process of a service for {@code tools/suites/runtimes}: its ready path, its variables
 * as {@code NAME=VALUE}, an empty line, and its words.
 *
 * <p>Usage: {@code RuntimeWords RUNTIME URI PORT}
 */
public final class RuntimeWords {
  private RuntimeWords() {}

  public static void main(String[] args) {
    RuntimeFill.Filled filled =
        RuntimeFill.of(
            ModelRuntimes.find(args[0]).orElseThrow(),
            "chat",
            ModelUri.parse(args[1]).orElseThrow(),
            null,
            Map.of("port", Integer.valueOf(args[2])));
    if (!filled.problems().isEmpty()) {
      throw new IllegalArgumentException(filled.problems().toString());
    }
    Map<?, ?> job = (Map<?, ?>) filled.service().getOrDefault("job", Map.of());
    System.out.println(filled.service().get("readyPath"));
    new TreeMap<>((Map<?, ?>) (job.containsKey("env") ? job.get("env") : Map.of()))
        .forEach((name, value) -> System.out.println(name + "=" + value));
    System.out.println();
    ((List<?>) job.get("run")).forEach(System.out::println);
  }
}
