package dev.fairlead.work.job.web.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.management.ThreadMXBean;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The limits of one request of at most 1 MiB, measured by the allocations of its thread. */
class BodyGrowthTest {
  private static final long MIB = 1 << 20;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static long allocated(Runnable work) {
    work.run(); // loads classes
    long before = THREADS.getCurrentThreadAllocatedBytes();
    work.run();
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  private static InputStream bytes(String text) {
    assertThat(text.length()).isLessThan(BodyReader.LARGEST);
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Refusal refusedYaml(String text) {
    return catchThrowableOfType(Refusal.class, () -> BodyReader.yaml(bytes(text)));
  }

  private static List<FieldProblem> problems(Body body) {
    FieldProblems problems = new FieldProblems();
    assertThat(
            new JobSpecReader(List.of(), () -> new LimitBook(List.of(), 0))
                .read(body.value(problems)))
        .isEmpty();
    return problems.all();
  }

  private static Body json(String text) {
    try {
      return BodyReader.json(bytes(text));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Fails when aliases are bounded by their number and the number of their values only. */
  @Test
  void aliasesOfALongTextAreRejectedBeforeExpansion() {
    String scalar = "x".repeat(900_000);
    StringBuilder bomb = new StringBuilder("env:\n  A0: &a0 \"" + scalar + "\"\n");
    for (int level = 1; level <= 3; level++) {
      String before = "*a" + (level - 1);
      String list = String.join(", ", java.util.Collections.nCopies(16, before));
      bomb.append("  A%d: &a%d [%s]\n".formatted(level, level, list));
    }
    String text = bomb.toString();

    assertThat(refusedYaml(text))
        .hasMessageContainingAll("1048576 characters", "aliases")
        .extracting(Refusal::code)
        .isEqualTo(ProblemCode.MALFORMED_BODY);
    assertThat(allocated(() -> refusedYaml(text))).isLessThan(64 * MIB);
  }

  /** Fails when keys are not counted, or when the depth below an alias is not. */
  @Test
  void aliasesCannotMultiplyKeysOrDepth() {
    String key = "k".repeat(1000);
    String keys =
        IntStream.range(0, 40).mapToObj(i -> key + i + ": 1").collect(Collectors.joining(", "));
    String many = "a: &a {" + keys + "}\nb: [" + "*a, ".repeat(49) + "1]\n";
    String deep = "a: &a " + "[".repeat(60) + "]".repeat(60) + "\nb: [[[[[[*a]]]]]]\n";

    assertThat(refusedYaml(many)).hasMessageContaining("aliases are expanded");
    assertThat(refusedYaml(deep)).hasMessageContaining("64 levels by its aliases");
    assertThat(refusedYaml("{\"" + "k".repeat(2000) + "\": 1}")).hasMessageContaining("1024");
  }

  /** Fails when the whole spec is written to determine its size. */
  @Test
  void oversizedSpecIsDetectedWithoutSerializingIt() {
    Body body = json("{\"image\":\"" + "\\u00e9".repeat(170_000) + "\"}");

    assertThat(problems(body).getFirst().code()).isEqualTo(ProblemCode.LIMIT_EXCEEDED);
    assertThat(allocated(() -> problems(body))).isLessThan(MIB / 4);
  }

  /** Fails when the pointer of each value is built although the value is valid. */
  @Test
  void pathOfAValueIsNotCopiedPerValue() {
    String name = "{\"" + "k".repeat(1000) + "\":";
    String text = name.repeat(60) + "[" + "0,".repeat(200_000) + "0]" + "}".repeat(60);

    assertThat(allocated(() -> json(text))).isLessThan(64 * MIB);
  }

  /** Fails when similar names are searched after the last reported problem. */
  @Test
  void answerToThousandsOfUnknownFieldsIsShort() {
    String fields =
        IntStream.range(0, 5_000)
            .mapToObj(i -> "\"x" + i + "\":1")
            .collect(Collectors.joining(","));
    Body body = json("{" + fields + "}");

    List<FieldProblem> problems = problems(body);

    assertThat(problems).hasSize(100);
    assertThat(problems.stream().filter(p -> p.detail().contains("Known here"))).hasSize(1);
    assertThat(problems.stream().mapToInt(p -> p.detail().length()).sum()).isLessThan(10_000);
    assertThat(allocated(() -> problems(body))).isLessThan(16 * MIB);
  }
}
