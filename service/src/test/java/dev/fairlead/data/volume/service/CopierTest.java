package dev.fairlead.data.volume.service;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.log.S3Server;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of transfers, on a real S3 server, killed wherever it can be. */
class CopierTest {
  private static final int PART = 4096;
  private static S3Server server;

  /**
   * The program dies before its n-th call of the bucket, rename, new directory or write. It runs
   * under the user of its pods, because modes do not restrict root.
   */
  private static final String PREPARED =
      """
      import _strptime, concurrent.futures.thread, encodings.idna, os, signal, sys, threading
      copier, modes, last = sys.argv[1], sys.argv[2], int(sys.argv[3])
      left, lock = [last], threading.Lock()
      def counted(work):
          def counts(*a, **k):
              with lock:
                  left[0] -= 1
                  if left[0] == 0:
                      os.kill(os.getpid(), signal.SIGKILL)
              return work(*a, **k)
          return counts
      names = {"__name__": "copier"}
      exec(compile(open(copier).read(), copier, "exec"), names)
      names["Bucket"].once = counted(names["Bucket"].once)
      for each in ("rename", "mkdir", "pwrite", "write", "rmdir", "symlink"):
          setattr(os, each, counted(getattr(os, each)))
      sys.argv = [copier, modes]
      os.chdir(os.environ["FAIRLEAD_TRANSFER_ROOT"])
      os.environ["FAIRLEAD_TRANSFER_ROOT"] = "."
      if os.getuid() == 0:
          for where, folders, files, fd in os.fwalk("."):
              os.fchown(fd, 65532, 65532)
              for name in folders + files:
                  os.chown(name, 65532, 65532, dir_fd=fd, follow_symlinks=False)
          os.setgroups([])
          os.setgid(65532)
          os.setuid(65532)
      """;

  private static final String HARNESS = PREPARED + "names['main']()\n";

  /**
   * Crashes after one step, then after two, and so on, until it completes. Returns the number of
   * crashes. Each is a separate process, forked before the program starts, because starting an
   * interpreter takes longer than its work.
   */
  private static final String KILLED_AT_EVERY_STEP =
      PREPARED
          + """
          for kills in range(200):
              process = os.fork()
              if process == 0:
                  left[0] = kills + 1
                  names["main"]()
                  sys.exit()
              code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
              if code != -signal.SIGKILL:
                  print(kills)
                  sys.exit(code)
          sys.exit("never ends")
          """;

  /** Changes or makes an object as the program signs its calls. */
  private static final String OBJECTS =
      """
      import os, sys
      names = {"__name__": "copier"}
      exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), names)
      transfer = names["Transfer"]()
      if sys.argv[2] == "list":
          print("\\n".join(key for key, *_ in transfer.bucket.list(sys.argv[3])))
      elif sys.argv[2] == "get":
          sys.stdout.buffer.write(transfer.bucket.call("GET", sys.argv[3])[0])
      else:
          transfer.bucket.call("PUT", sys.argv[3], body=sys.stdin.buffer.read())
      """;

  private record Run(int code, String out, String errors) {}

  @TempDir Path folder;
  private final String prefix = S3Server.newPrefix();
  private final String id = UUID.randomUUID().toString();
  private Path source;
  private Path target;

  @BeforeAll
  static void start() {
    server = S3Server.get();
  }

  @BeforeEach
  void volumes() throws IOException {
    source = Files.createDirectory(folder.resolve("source"));
    target = Files.createDirectory(folder.resolve("target"));
  }

  private Run python(String script, byte[] input, Path mounted, String from, String... arguments) {
    try {
      List<String> command = new ArrayList<>(List.of("python3", "-c", script, copier().toString()));
      command.addAll(Arrays.asList(arguments));
      Path out = Files.createTempFile(folder, "out", "");
      Path errors = Files.createTempFile(folder, "err", "");
      ProcessBuilder builder = new ProcessBuilder(command);
      builder.redirectOutput(out.toFile()).redirectError(errors.toFile());
      builder
          .environment()
          .putAll(
              Map.of(
                  "FAIRLEAD_TRANSFER_ID",
                  id,
                  "FAIRLEAD_TRANSFER_ENDPOINT",
                  server.endpoint(),
                  "FAIRLEAD_TRANSFER_REGION",
                  "us-east-1",
                  "FAIRLEAD_TRANSFER_PATH_STYLE",
                  "true",
                  "FAIRLEAD_TRANSFER_BUCKET",
                  S3Server.BUCKET,
                  "FAIRLEAD_TRANSFER_PREFIX",
                  prefix,
                  "FAIRLEAD_TRANSFER_PART",
                  String.valueOf(PART),
                  "FAIRLEAD_TRANSFER_ROOT",
                  mounted.toString(),
                  "FAIRLEAD_TRANSFER_SOURCE",
                  from,
                  "AWS_ACCESS_KEY_ID",
                  S3Server.ACCESS_KEY));
      builder.environment().put("AWS_SECRET_ACCESS_KEY", S3Server.SECRET_KEY);
      Process process = builder.start();
      try (var stdin = process.getOutputStream()) {
        stdin.write(input);
      }
      return new Run(process.waitFor(), Files.readString(out), Files.readString(errors));
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path copier() {
    return Path.of(System.getProperty("fairlead.root", ".."))
        .resolve("service/src/main/resources/volume/copier.py");
  }

  private Run run(String mode, Path mounted) {
    return run(mode, mounted, "", 0);
  }

  private Run run(String mode, Path mounted, String from, int last) {
    return python(HARNESS, new byte[0], mounted, from, mode, String.valueOf(last));
  }

  private void does(String mode, Path mounted) {
    Run run = run(mode, mounted);
    assertThat(run.code()).as(run.errors()).isZero();
  }

  private String fails(String mode, Path mounted) {
    Run run = run(mode, mounted);
    assertThat(run.code()).as(run.out() + run.errors()).isEqualTo(3);
    assertThat(run.errors()).doesNotContain(S3Server.SECRET_KEY).doesNotContain("Traceback");
    return run.errors();
  }

  /** Runs like a transfer that was resumed this many times. */
  private Run resumed(int round, String mode, Path mounted) {
    String again = "import os; os.environ['FAIRLEAD_TRANSFER_ROUND'] = '" + round + "'\n";
    return python(again + HARNESS, new byte[0], mounted, "", mode, "0");
  }

  /** Number of kills before its end. */
  private int killed(String mode, Path mounted, String from) {
    Run run = python(KILLED_AT_EVERY_STEP, new byte[0], mounted, from, mode, "0");
    assertThat(run.code()).as(run.errors()).isZero();
    return Integer.parseInt(run.out().lines().toList().getLast());
  }

  private byte[] object(String key) {
    return python(OBJECTS, new byte[0], source, "", "get", key)
        .out()
        .getBytes(StandardCharsets.UTF_8);
  }

  private void put(String key, byte[] bytes) {
    assertThat(python(OBJECTS, bytes, source, "", "put", key).code()).isZero();
  }

  private List<String> staged() {
    return python(OBJECTS, new byte[0], source, "", "list", prefix + "/")
        .out()
        .lines()
        .filter(line -> !line.isEmpty())
        .toList();
  }

  private void filled() throws IOException {
    Random random = new Random(1);
    byte[] large = new byte[7 * PART + 11];
    random.nextBytes(large);
    Files.createDirectories(source.resolve("data/empty"));
    Files.write(source.resolve("data/large"), large);
    for (int i = 0; i < 5; i++) {
      Files.writeString(source.resolve("data/small " + i + " é"), "of its own: " + i);
    }
    Files.write(source.resolve("none"), new byte[0]);
    Files.createSymbolicLink(source.resolve("outside"), Path.of("../outside/of/it"));
    Files.setPosixFilePermissions(
        source.resolve("none"), PosixFilePermissions.fromString("r-xr-----"));
    Path fixed = Files.createDirectory(source.resolve("fixed"));
    Files.write(fixed.resolve("set"), Arrays.copyOf(large, PART));
    Files.setPosixFilePermissions(
        fixed.resolve("set"), PosixFilePermissions.fromString("r--r--r--"));
    Files.setPosixFilePermissions(fixed, PosixFilePermissions.fromString("r-xr-xr-x"));
    Files.createDirectory(source.resolve("lost+found"));
  }

  private static void writable(Path directory) throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Content of a volume, without the copier's own files. */
  private static Map<String, String> contents(Path root) throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (var all = Files.walk(root)) {
      for (Path each : all.filter(path -> !path.equals(root)).toList()) {
        String name = root.relativize(each).toString();
        if (!name.startsWith(".fairlead-transfer") && !name.equals("lost+found")) {
          found.put(name, shown(each));
        }
      }
    }
    return found;
  }

  private static String shown(Path each) throws IOException {
    if (Files.isSymbolicLink(each)) {
      return "to " + Files.readSymbolicLink(each);
    }
    String mode =
        PosixFilePermissions.toString(
            Files.getPosixFilePermissions(each, LinkOption.NOFOLLOW_LINKS));
    return Files.isDirectory(each)
        ? "directory " + mode
        : mode + " " + Arrays.hashCode(Files.readAllBytes(each));
  }

  /**
   * Fails when a killed copier leaves or accepts partial files, or cannot write to its own
   * read-only files.
   */
  @Test
  void killedAtEveryStepItCopiesAllOfAVolume() throws IOException {
    filled();

    assertThat(killed("upload", source, "")).as("kills").isGreaterThan(4);
    assertThat(killed("download", target, "")).as("kills").isGreaterThan(4);
    assertThat(killed("verify", target, "")).as("kills").isGreaterThan(2);

    assertThat(contents(target)).isEqualTo(contents(source)).hasSize(12);
    assertThat(target.resolve(".fairlead-transfer")).doesNotExist();
    assertThat(target.resolve(".fairlead-transfer.json")).content().contains(id);
    assertThat(killed("remove", target, "")).isPositive();
    assertThat(staged()).isEmpty();
    does("verify", target);
  }

  /** Fails when objects in the bucket are uploaded again. */
  @Test
  void uploadedPartsAreNotUploadedAgain() throws IOException {
    filled();
    does("upload", source);
    put(prefix + "/" + id + "/manifest.old", object(prefix + "/" + id + "/manifest"));
    List<String> before = staged();

    does("upload", source);

    assertThat(staged()).isEqualTo(before);
    assertThat(run("upload", source, "", 2).code()).as("reads the manifest, and no more").isZero();
  }

  @Test
  void pieceChangedInTheBucketIsDetected() throws IOException {
    filled();
    does("upload", source);
    String part =
        staged().stream().filter(key -> key.contains("/parts/")).findFirst().orElseThrow();
    put(part, "not what was copied".getBytes(StandardCharsets.UTF_8));

    assertThat(fails("download", target)).contains("changed in the bucket", part);
  }

  @Test
  void changedManifestIsDetected() throws IOException {
    filled();
    does("upload", source);
    String manifest = prefix + "/" + id + "/manifest";
    String text = new String(object(manifest), StandardCharsets.UTF_8).replace("none", "some");
    put(manifest, text.getBytes(StandardCharsets.UTF_8));

    assertThat(fails("download", target)).satisfies(reason("copier.manifest-changed-bucket"));
  }

  /**
   * Fails when a name in a manifest escapes from the volume, by dots or through a link, or when a
   * link to a directory that the program may not read ends the upload.
   */
  @Test
  void noFileIsWrittenOutsideOfTheVolume() throws IOException {
    for (String path : List.of("../outside", "/outside", "a/../../outside", "link/outside")) {
      Files.writeString(source.resolve("file"), "taken");
      Files.deleteIfExists(source.resolve("link"));
      Files.createSymbolicLink(source.resolve("link"), folder);
      does("remove", source);
      does("upload", source);
      String manifest = prefix + "/" + id + "/manifest";
      put(manifest, signed(manifest, path));

      assertThat(fails("download", target)).containsAnyOf("not a path inside", "in no directory");
      assertThat(folder.resolve("outside")).doesNotExist();
    }
  }

  private byte[] signed(String manifest, String path) {
    String forged =
        """
        import hashlib, json, sys
        lines = sys.stdin.read().replace('"path": "file"', '"path": "' + sys.argv[2] + '"').splitlines()
        body = "\\n".join(lines[:-1]) + "\\n"
        print(body + json.dumps({"sha256": hashlib.sha256(body.encode()).hexdigest()}))
        """;
    return python(forged, object(manifest), source, "", path)
        .out()
        .getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void volumeChangedAfterItsCopyIsNotVerified() throws IOException {
    filled();
    does("upload", source);
    does("download", target);
    Files.delete(target.resolve("data/small 1 é"));
    Files.writeString(target.resolve("data/more"), "of others");
    byte[] large = Files.readAllBytes(target.resolve("data/large"));
    large[PART]++;
    Files.write(target.resolve("data/large"), large);

    assertThat(fails("verify", target))
        .contains("data/more is ", "data/large differs ", "is missing");
  }

  /**
   * Fails when a resumed copy retains differing files, transfers equal files again, or cannot write
   * to its own read-only directory.
   */
  @Test
  void resumedDownloadFetchesOnlyDifferences() throws IOException {
    filled();
    does("upload", source);
    does("download", target);
    Files.delete(target.resolve("data/small 1 é"));
    writable(target.resolve("fixed"));
    Files.delete(target.resolve("fixed/set"));
    Files.setPosixFilePermissions(
        target.resolve("fixed"), PosixFilePermissions.fromString("r-xr-xr-x"));
    byte[] large = Files.readAllBytes(target.resolve("data/large"));
    large[PART]++;
    Files.write(target.resolve("data/large"), large);
    assertThat(fails("verify", target))
        .contains("data/large differs from the copied one", "fixed/set is missing");

    assertThat(resumed(1, "download", target).code()).isZero();
    assertThat(resumed(1, "verify", target).code()).isZero();

    assertThat(contents(target)).isEqualTo(contents(source));
  }

  /** Fails when a resumed upload relies on an earlier state of the volume. */
  @Test
  void aResumedUploadReadsTheVolumeAgain() throws IOException {
    filled();
    does("upload", source);
    Files.writeString(source.resolve("data/small 1 é"), "written since");

    assertThat(resumed(1, "upload", source).code()).isZero();
    assertThat(resumed(1, "download", target).code()).isZero();

    assertThat(target.resolve("data/small 1 é")).hasContent("written since");
    assertThat(resumed(1, "upload", source).out()).as("of this round").isNotEmpty();
  }

  @Test
  void volumeWithForeignFilesIsNotOverwritten() throws IOException {
    filled();
    does("upload", source);
    Files.writeString(target.resolve("theirs"), "kept");

    assertThat(fails("download", target)).satisfies(reason("copier.volume-empty-theirs", "theirs"));
  }

  @Test
  void uncopyableFileIsNamed() throws Exception {
    new ProcessBuilder("mkfifo", source.resolve("pipe").toString()).start().waitFor();

    assertThat(fails("upload", source)).satisfies(reason("copier.pipe-socket-pipe-device"));
    assertThat(staged()).isEmpty();
  }

  /** Fails when a killed import transfers an object twice, or partially. */
  @Test
  void killedAtEveryStepItImportsAPrefix() throws IOException {
    byte[] large = new byte[5 * PART + 3];
    new Random(2).nextBytes(large);
    put(prefix + "/set/a/large", large);
    put(prefix + "/set/a/b/small é", "small".getBytes(StandardCharsets.UTF_8));
    put(prefix + "/set/none", new byte[0]);
    put(prefix + "/settled", "not of it".getBytes(StandardCharsets.UTF_8));
    String from = "s3://" + S3Server.BUCKET + "/" + prefix + "/set";

    assertThat(killed("import", target, from)).isGreaterThan(3);

    assertThat(contents(target).keySet())
        .containsExactly("a", "a/b", "a/b/small é", "a/large", "none");
    assertThat(target.resolve("a/large")).hasBinaryContent(large);
    assertThat(target.resolve(".fairlead-transfer.json")).content().contains(from);
  }

  /**
   * Fails when a resumed import retains an old object, transfers an unchanged one again, or leaves
   * a deleted one. All objects have the same time, like objects of one second.
   */
  @Test
  void objectChangedSinceIsImportedInItsCurrentState() throws IOException {
    String oneTime = PREPARED + "names['moment'] = lambda text: 0\nnames['main']()\n";
    put(prefix + "/set/a", "as it was".getBytes(StandardCharsets.UTF_8));
    put(prefix + "/set/b", "kept".getBytes(StandardCharsets.UTF_8));
    String from = "s3://" + S3Server.BUCKET + "/" + prefix + "/set";
    Files.createDirectories(target.resolve(".fairlead-transfer").resolve(id));
    Files.writeString(target.resolve("c"), "of an object that was removed");
    assertThat(python(oneTime, new byte[0], target, from, "import", "0").errors())
        .contains("the volume has c", from);
    Object kept = Files.getAttribute(target.resolve("b"), "unix:ino");
    put(prefix + "/set/a", "as it is!".getBytes(StandardCharsets.UTF_8));

    Files.delete(target.resolve("c"));
    assertThat(python(oneTime, new byte[0], target, from, "import", "0").code()).isZero();

    assertThat(target.resolve("a")).hasContent("as it is!");
    assertThat(Files.getAttribute(target.resolve("b"), "unix:ino")).isEqualTo(kept);
  }

  @Test
  void prefixThatIsNotAFileTreeIsRejected() {
    put(prefix + "/odd/a", new byte[1]);
    put(prefix + "/odd/a/b", new byte[1]);
    String from = "s3://" + S3Server.BUCKET + "/" + prefix;

    assertThat(run("import", target, from + "/odd", 0).errors())
        .contains(from + "/odd/a is an object");
    assertThat(run("import", target, from + "/nothing", 0).errors()).contains("has no objects");
  }

  @Test
  void wrongKeyIsReportedWithoutItsValue() {
    String wrong = "import os; os.environ['AWS_SECRET_ACCESS_KEY'] = 'quiet'\n" + HARNESS;
    Run run = python(wrong, new byte[0], source, "", "upload", "0");

    assertThat(run.code()).isEqualTo(3);
    assertThat(run.errors()).contains("SignatureDoesNotMatch").doesNotContain("quiet");
  }
}
