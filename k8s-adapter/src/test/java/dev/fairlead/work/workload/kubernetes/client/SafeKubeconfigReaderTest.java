package dev.fairlead.work.workload.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.fairlead.fleet.cluster.connection.KubeconfigReader.Answer;
import dev.fairlead.kernel.egress.Cidr;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.FakeHosts;
import dev.fairlead.kernel.egress.TestIdentity;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * In the corpus, {@code ${RUN}} is a program that creates a file when it runs, and {@code ${FILE}}
 * a named pipe without a writer, so opening it would block forever.
 */
class SafeKubeconfigReaderTest {
  private static final String TOKEN = "canary-token-4711";
  private static @TempDir Path directory;
  private static Path mark;
  private final SafeKubeconfigReader reader =
      new SafeKubeconfigReader(new EgressPolicy(List.of(), FakeHosts.LOOKUP));

  @BeforeAll
  static void layTraps() throws IOException, InterruptedException {
    mark = directory.resolve("mark");
    Path program = directory.resolve("program");
    Files.writeString(program, "#!/bin/sh\ntouch " + mark + "\necho '{}'\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    assertThat(new ProcessBuilder("mkfifo", directory.resolve("pipe").toString()).start().waitFor())
        .isZero();
  }

  static Stream<Path> hostile() throws IOException {
    return corpus("hostile");
  }

  static Stream<Path> safe() throws IOException {
    return corpus("safe");
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void aHostileKubeconfigIsRefusedWithoutAnythingBeingRunOrOpened(Path file) throws IOException {
    String text = filled(file);
    String pointer = text.lines().findFirst().orElseThrow().substring("# expect: ".length());
    Answer answer = assertTimeoutPreemptively(Duration.ofSeconds(60), () -> reader.read(text));
    assertThat(answer).isInstanceOf(Answer.Refused.class);
    List<FieldProblem> problems = ((Answer.Refused) answer).problems();
    assertThat(problems).extracting(FieldProblem::pointer).contains(pointer);
    assertThat(problems)
        .extracting(FieldProblem::code)
        .containsAnyOf(ProblemCode.UNSAFE_KUBECONFIG, ProblemCode.UNSAFE_ADDRESS);
    assertThat(problems.toString()).doesNotContain(TOKEN);
    assertThat(mark).doesNotExist();
  }

  @ParameterizedTest
  @MethodSource("safe")
  void aSafeKubeconfigIsAccepted(Path file) throws IOException {
    Answer answer = reader.read(filled(file));
    assertThat(answer).isInstanceOf(Answer.Accepted.class);
    assertThat(((Answer.Accepted) answer).connection().caData())
        .isEqualTo(TestIdentity.certificate());
    assertThat(mark).doesNotExist();
  }

  @Test
  void corpusIsLargeAndItsTrapsWork() throws IOException {
    assertThat(hostile().count()).isGreaterThan(40);
    // The library's own parser runs the program, so the traps work. Therefore that parser is never
    // used.
    String exec = filled(hostile().filter(f -> f.endsWith("exec.yaml")).findFirst().orElseThrow());
    try {
      Config.fromKubeconfig(exec);
    } catch (RuntimeException refusesTheProgramsAnswer) {
      assertThat(refusesTheProgramsAnswer).isNotNull();
    }
    assertThat(mark).exists();
    Files.delete(mark);
  }

  @Test
  void readingTheWholeCorpusStartsNoProcess() throws IOException {
    Set<Long> before = children();
    for (Path file : hostile().toList()) {
      reader.read(filled(file));
    }
    assertThat(before).containsAll(children());
    System.out.printf(
        "security kubeconfigs: %d hostile files, all refused, 0 processes, 0 files opened%n",
        hostile().count());
  }

  @Test
  void allProblemsAreReportedTogether() throws IOException {
    String text =
        filled(hostile().filter(f -> f.endsWith("insecure.yaml")).findFirst().orElseThrow())
            .replace("token:", "tokenFile:");
    assertThat(((Answer.Refused) reader.read(text)).problems())
        .extracting(FieldProblem::pointer)
        .contains(
            "/kubeconfig/clusters/0/cluster/insecure-skip-tls-verify",
            "/kubeconfig/users/0/user/tokenFile");
  }

  @Test
  void sizeAndDepthAreBounded() {
    for (String text :
        List.of(
            "a: " + "x".repeat(70_000),
            "a: [" + "1,".repeat(30_000) + "]",
            "a: " + "[".repeat(30_000) + "]".repeat(30_000),
            "{a: ".repeat(15_000))) {
      Answer answer = assertTimeoutPreemptively(Duration.ofSeconds(60), () -> reader.read(text));
      assertThat(((Answer.Refused) answer).problems())
          .extracting(FieldProblem::code)
          .containsExactly(ProblemCode.UNSAFE_KUBECONFIG);
    }
  }

  @Test
  void anAddressThatTheOperatorAllowsIsAccepted() throws IOException {
    String text =
        filled(hostile().filter(f -> f.endsWith("server-loopback.yaml")).findFirst().orElseThrow());
    EgressPolicy loopback = new EgressPolicy(List.of(Cidr.parse("127.0.0.0/8")), FakeHosts.LOOKUP);
    assertThat(new SafeKubeconfigReader(loopback).read(text)).isInstanceOf(Answer.Accepted.class);
  }

  private static Set<Long> children() {
    return ProcessHandle.current().children().map(ProcessHandle::pid).collect(Collectors.toSet());
  }

  private static Stream<Path> corpus(String name) throws IOException {
    String root =
        Objects.requireNonNull(SafeKubeconfigReaderTest.class.getResource("/kubeconfigs/" + name))
            .getPath();
    try (Stream<Path> files = Files.list(Path.of(root))) {
      return files.sorted().toList().stream();
    }
  }

  private static String filled(Path file) throws IOException {
    return Files.readString(file)
        .replace("${CA}", TestIdentity.certificate())
        .replace("${CERT}", TestIdentity.certificate())
        .replace("${KEY}", TestIdentity.key())
        .replace("${TOKEN}", TOKEN)
        .replace("${RUN}", directory.resolve("program").toString())
        .replace("${FILE}", directory.resolve("pipe").toString());
  }
}
