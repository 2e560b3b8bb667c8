package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the container that unpacks code, run by the Python of this machine. */
class UnpackProgramTest {
  private static final String PROGRAM =
      Path.of("src/main/resources/workdir/unpack.py").toAbsolutePath().toString();

  @TempDir private Path home;
  private final AtomicInteger calls = new AtomicInteger();
  private HttpServer server;
  private volatile byte[] content = {};

  /** Status of a call by its number, from 1. */
  private volatile IntUnaryOperator status = call -> 200;

  @BeforeEach
  void serve() throws IOException {
    Files.createDirectory(home.resolve("work"));
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          boolean known =
              "Bearer fla_0".equals(exchange.getRequestHeaders().getFirst("Authorization"));
          int answer = known ? status.applyAsInt(calls.incrementAndGet()) : 401;
          exchange.getResponseHeaders().set("Retry-After", "0");
          exchange.sendResponseHeaders(answer, answer == 200 ? content.length : -1);
          if (answer == 200) {
            try (OutputStream out = exchange.getResponseBody()) {
              out.write(content);
            }
          }
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private record Ended(int code, String output) {}

  private Ended python(List<String> words, String digest) throws Exception {
    ProcessBuilder process = new ProcessBuilder(words).redirectErrorStream(true);
    process
        .environment()
        .put("FAIRLEAD_WORKDIR_URL", "http://127.0.0.1:" + server.getAddress().getPort());
    process.environment().put("FAIRLEAD_WORKDIR_TOKEN", "fla_0");
    process.environment().put("FAIRLEAD_WORKDIR_DIGEST", digest);
    process.environment().put("FAIRLEAD_WORKDIR", home.resolve("work").toString());
    process.environment().put("FAIRLEAD_WORKDIR_PATIENCE", "4");
    Process started = process.start();
    String output = new String(started.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(started.waitFor(), output);
  }

  private Ended unpack() throws Exception {
    return python(List.of("python3", PROGRAM), digest());
  }

  private String digest() throws GeneralSecurityException {
    return "sha256:"
        + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
  }

  private void pack(String name) throws Exception {
    Path file = home.resolve("packed.tgz");
    String code =
        """
        import io, sys, tarfile
        with tarfile.open(sys.argv[1], "w:gz") as archive:
            entry = tarfile.TarInfo(sys.argv[2])
            entry.size = 5
            archive.addfile(entry, io.BytesIO(b"hello"))
        """;
    assertThat(python(List.of("python3", "-c", code, file.toString(), name), ""))
        .isEqualTo(new Ended(0, ""));
    content = Files.readAllBytes(file);
  }

  @Test
  void codeIsUnpackedAfterTheServiceAnsweredBusy() throws Exception {
    pack("deep/train.py");
    status = call -> call == 1 ? 503 : 200;

    assertThat(unpack().code()).isZero();

    assertThat(home.resolve("work/deep/train.py")).hasContent("hello");
    assertThat(calls).hasValue(2);
  }

  /** Fails when a member waits for code that is no longer stored. */
  @Test
  void missingCodeIsRequestedOnce() throws Exception {
    status = call -> 404;

    Ended ended = unpack();

    assertThat(ended.code()).isEqualTo(44);
    assertThat(ended.output()).satisfies(reason("unpack-program.stored-more"));
    assertThat(calls).hasValue(1);
  }

  @Test
  void archiveWithAnotherDigestIsNotUnpacked() throws Exception {
    pack("train.py");
    String other = "sha256:" + "0".repeat(64);

    assertThat(python(List.of("python3", PROGRAM), other).code()).isEqualTo(45);

    assertThat(home.resolve("work")).isEmptyDirectory();
  }

  /** Fails when an archive writes outside its directory. */
  @Test
  void anEntryThatLeavesTheDirectoryIsRefused() throws Exception {
    pack("../outside");

    assertThat(unpack().code()).isEqualTo(45);

    assertThat(home.resolve("outside")).doesNotExist();
  }

  @Test
  void unavailableServiceTimesOut() throws Exception {
    server.stop(0);
    assertThat(unpack().code()).isEqualTo(46);
  }
}
