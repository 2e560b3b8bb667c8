package dev.fairlead.work.spec;

import java.util.List;

/**
 * What a container runs: entry point and arguments as Kubernetes has them; an empty list leaves the
 * image's own.
 *
 * @param shell whether it was given as one string; shown back as such
 */
public record CommandSpec(List<String> command, List<String> args, boolean shell) {
  public static final CommandSpec OF_IMAGE = new CommandSpec(List.of(), List.of(), false);

  public CommandSpec {
    command = List.copyOf(command);
    args = List.copyOf(args);
  }

  /** {@code /bin/sh -c text}. */
  public static CommandSpec shell(String text) {
    return new CommandSpec(List.of("/bin/sh", "-c"), List.of(text), true);
  }

  public static CommandSpec exec(List<String> words) {
    return new CommandSpec(words, List.of(), false);
  }
}
