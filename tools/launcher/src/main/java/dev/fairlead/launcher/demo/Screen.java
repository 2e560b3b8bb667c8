package dev.fairlead.launcher.demo;

import java.io.Console;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The display of the demo's jobs. */
sealed interface Screen {
  /** Displays the current jobs. */
  void show(List<JobLine> jobs);

  /** Prints a permanent line. */
  void say(String line);

  /** Redraws on a terminal, appends elsewhere. Respects {@code NO_COLOR}. */
  static Screen of(PrintStream out) {
    boolean terminal =
        Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false)
            && !"dumb".equals(System.getenv("TERM"));
    String noColour = System.getenv("NO_COLOR");
    return terminal ? new Live(out, noColour == null || noColour.isEmpty()) : new Plain(out);
  }

  /** Redraws the table in place, below the permanent lines. */
  final class Live implements Screen {
    private static final String NO_WRAP = "\u001b[?7l";
    private static final String WRAP = "\u001b[?7h";
    private static final String CLEAR_BELOW = "\u001b[J";
    private final PrintStream out;
    private final boolean colour;
    private List<String> shown = List.of();

    Live(PrintStream out, boolean colour) {
      this.out = out;
      this.colour = colour;
    }

    @Override
    public void show(List<JobLine> jobs) {
      draw("", JobLines.lines(jobs, colour));
    }

    @Override
    public void say(String line) {
      draw(line + "\n", shown);
    }

    /**
     * Draws in one write, so that the terminal never displays half a table. Long lines are cut,
     * because a wrapped line counts twice.
     */
    private void draw(String above, List<String> table) {
      String up = shown.isEmpty() ? "" : "\u001b[" + shown.size() + "A";
      String lines = table.isEmpty() ? "" : String.join("\n", table) + "\n";
      out.print(up + "\r" + CLEAR_BELOW + above + NO_WRAP + lines + WRAP);
      out.flush();
      shown = table;
    }
  }

  /** Appends a line whenever a job changes visibly. */
  final class Plain implements Screen {
    private static final int NAME_WIDTH = 16;
    private final PrintStream out;
    private final Map<String, String> last = new TreeMap<>();

    Plain(PrintStream out) {
      this.out = out;
    }

    @Override
    public void show(List<JobLine> jobs) {
      for (JobLine job : jobs) {
        String key = job.state() + job.reason() + job.attempts();
        if (!key.equals(last.put(job.id(), key))) {
          out.println(JobLines.line(job, NAME_WIDTH, false));
        }
      }
      out.flush();
    }

    @Override
    public void say(String line) {
      out.println(line);
      out.flush();
    }
  }
}
