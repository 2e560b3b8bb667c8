package dev.fairlead.work.spec;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Command of a container: entry point and arguments as in Kubernetes. An empty list selects the
 * image's own.
 *
 * @param shell whether it was given as one string. Shown back as such
 * @param setup shell commands that run before the command, see {@link
 *     dev.fairlead.work.workload.SetupScript}. Empty for a command of the image
 */
public record CommandSpec(
    List<String> command, List<String> args, boolean shell, List<String> setup) {
  public static final CommandSpec OF_IMAGE = new CommandSpec(List.of(), List.of(), false);

  /** A command without setup. */
  public CommandSpec(List<String> command, List<String> args, boolean shell) {
    this(command, args, shell, List.of());
  }

  public CommandSpec {
    command = List.copyOf(command);
    args = List.copyOf(args);
    setup = List.copyOf(setup);
  }

  /** Returns the command with other setup commands. */
  public CommandSpec preparedBy(List<String> commands) {
    return new CommandSpec(command, args, shell, commands);
  }

  CommandSpec references(String prefix) {
    List<String> words =
        Stream.concat(command.stream(), args.stream())
            .filter(word -> word.startsWith(prefix))
            .toList();
    return words.isEmpty() ? OF_IMAGE : exec(words);
  }

  /** {@code /bin/sh -c text}. */
  public static CommandSpec shell(String text) {
    return new CommandSpec(List.of("/bin/sh", "-c"), List.of(text), true);
  }

  public static CommandSpec exec(List<String> words) {
    return new CommandSpec(words, List.of(), false);
  }

  /**
   * Returns this command after the words of a launcher. A command that begins with these words
   * already stays unchanged, and so does the command of the image.
   */
  public CommandSpec after(List<String> words) {
    if (words.isEmpty() || command.isEmpty() && args.isEmpty()) {
      return this;
    }
    if (shell) {
      String prefix = words.stream().map(CommandSpec::quoted).collect(Collectors.joining(" "));
      String text = args.getFirst();
      return text.startsWith(prefix + " ") ? this : shell(prefix + " " + text).preparedBy(setup);
    }
    List<String> all = new ArrayList<>(words);
    all.addAll(command);
    boolean begins =
        command.size() >= words.size() && command.subList(0, words.size()).equals(words);
    return begins ? this : new CommandSpec(all, args, false, setup);
  }

  /** Returns the text as one word of a shell. */
  public static String quoted(String word) {
    return word.matches("[A-Za-z0-9_./:=@%+-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
