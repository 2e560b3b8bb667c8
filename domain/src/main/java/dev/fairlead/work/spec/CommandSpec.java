package dev.fairlead.work.spec;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Command of a container: entry point and arguments as in Kubernetes. An empty list selects the
 * image's own.
 *
 * @param shell whether it was given as one string. Shown back as such
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

  /**
   * This command behind the words of a launcher. A command that begins with these words already
   * stays unchanged, and so does the command of the image.
   */
  public CommandSpec after(List<String> words) {
    if (words.isEmpty() || command.isEmpty() && args.isEmpty()) {
      return this;
    }
    if (shell) {
      String prefix = words.stream().map(CommandSpec::quoted).collect(Collectors.joining(" "));
      String text = args.getFirst();
      return text.startsWith(prefix + " ") ? this : shell(prefix + " " + text);
    }
    List<String> all = new ArrayList<>(words);
    all.addAll(command);
    boolean begins =
        command.size() >= words.size() && command.subList(0, words.size()).equals(words);
    return begins ? this : new CommandSpec(all, args, false);
  }

  private static String quoted(String word) {
    return word.matches("[A-Za-z0-9_./:=@%+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
