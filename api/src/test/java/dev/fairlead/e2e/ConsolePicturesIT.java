package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The pictures in the documentation match the console. {@code -Dfairlead.update=true} writes them
 * again.
 */
@Tag("long")
class ConsolePicturesIT {
  private static final Path PICTURES =
      Path.of(System.getProperty("fairlead.root", ".."), "docs", "reference", "console");
  private static final boolean UPDATE = Boolean.getBoolean("fairlead.update");
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int WIDTH = 1200;
  private static final int HEIGHT = 750;

  /** Pictures are compared by squares, so that other fonts of the same size do not matter. */
  private static final int SQUARE = 30;

  private static final int MOST_DIFFERENCE = 10;
  private static final double MOST_SQUARES = 0.03;
  private static final long MOST_BYTES = 300_000;
  private static final int COLOURS = 256;

  @TempDir private static Path profile;
  private static ConsoleScene scene;
  private static Chromium browser;
  private static Map<String, String> pages;

  @BeforeAll
  static void start() {
    scene = ConsoleScene.start(profile);
    browser = scene.browser();
    String[] jobs = scene.fill();
    scene
        .http()
        .yaml(
            "/api/v1/clusters",
            "{name: us-2, kind: SIMULATED, fleet: [{nodes: 48, gpusPerNode: 8, model: H200, blocks: 3, racksPerBlock: 4}]}");
    await()
        .atMost(PATIENCE)
        .until(() -> scene.http().get("/api/v1/clusters/us-2").json().path("nodes").asInt(0) == 48);
    // the page of the quota shows the use, which is summed once a minute
    await()
        .atMost(Duration.ofMinutes(3))
        .until(() ->
            !scene
                .http()
                .get("/api/v1/usage?by=queue&period=DAY&from=7d")
                .json()
                .get("items")
                .isEmpty());
    browser.size(WIDTH, HEIGHT);
    pages =
        Map.of(
            "jobs", "#/jobs",
            "waiting", "#/jobs/" + jobs[1],
            "map", "#/map",
            "sessions", "#/sessions",
            "quotas", "#/quotas");
  }

  @AfterAll
  static void end() {
    if (scene != null) {
      scene.close();
    }
  }

  /** Times, durations and ids differ between runs, so each is replaced by a fixed text. */
  private static BufferedImage picture(String hash, String scheme) {
    browser.scheme(scheme);
    scene.open(hash);
    scene.awaitReads();
    browser.evaluate(
        """
        (async () => {
          await document.fonts.ready;
          const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          for (let text = walk.nextNode(); text; text = walk.nextNode()) {
            text.data = text.data
              .replace(/job_[0-9a-z]{26}/g, 'job_01m7vxn2c4e0mtrw2g5kqy8v3d')
              .replace(/^\\d+ (Mon|Tue|Wed|Thu|Fri|Sat|Sun)$/, '1 Mon')
              .replace(/\\d+:\\d\\d:\\d\\d( [AP]M)?/g, '12:00:00')
              .replace(/\\b\\d+[dhms]( \\d+[hms])?\\b/g, '1m');
          }
        })()
        """);
    return browser.picture();
  }

  /** Average colours of squares. */
  private static BufferedImage squares(BufferedImage picture) {
    int width = WIDTH / SQUARE;
    int height = HEIGHT / SQUARE;
    BufferedImage small = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    for (int x = 0; x < width; x++) {
      for (int y = 0; y < height; y++) {
        small.setRGB(x, y, average(picture, x * SQUARE, y * SQUARE));
      }
    }
    return small;
  }

  private static int average(BufferedImage picture, int left, int top) {
    long[] sums = new long[3];
    for (int x = left; x < left + SQUARE; x++) {
      for (int y = top; y < top + SQUARE; y++) {
        int colour = picture.getRGB(x, y);
        for (int part = 0; part < 3; part++) {
          sums[part] += colour >> (8 * part) & 0xff;
        }
      }
    }
    int all = SQUARE * SQUARE;
    return (int) (sums[2] / all) << 16 | (int) (sums[1] / all) << 8 | (int) (sums[0] / all);
  }

  /** The part of the squares with another colour. */
  private static double difference(BufferedImage one, BufferedImage other) {
    BufferedImage first = squares(one);
    BufferedImage second = squares(other);
    int different = 0;
    for (int x = 0; x < first.getWidth(); x++) {
      for (int y = 0; y < first.getHeight(); y++) {
        different += distance(first.getRGB(x, y), second.getRGB(x, y)) > MOST_DIFFERENCE ? 1 : 0;
      }
    }
    return (double) different / (first.getWidth() * first.getHeight());
  }

  /** A palette of the most frequent 256 colours makes the file a third as large. */
  private static void write(BufferedImage picture, Path file) throws IOException {
    Map<Integer, Integer> counts = new TreeMap<>();
    for (int colour : picture.getRGB(0, 0, WIDTH, HEIGHT, null, 0, WIDTH)) {
      counts.merge(colour, 1, Integer::sum);
    }
    int[] most =
        counts.entrySet().stream()
            .sorted(Map.Entry.<Integer, Integer>comparingByValue().reversed())
            .limit(COLOURS)
            .mapToInt(Map.Entry::getKey)
            .toArray();
    IndexColorModel palette =
        new IndexColorModel(Byte.SIZE, most.length, most, 0, false, -1, DataBuffer.TYPE_BYTE);
    BufferedImage indexed =
        new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_BYTE_INDEXED, palette);
    Map<Integer, Integer> nearest = new HashMap<>();
    for (int x = 0; x < WIDTH; x++) {
      for (int y = 0; y < HEIGHT; y++) {
        int index = nearest.computeIfAbsent(picture.getRGB(x, y), colour -> nearest(most, colour));
        indexed.getRaster().setSample(x, y, 0, index);
      }
    }
    Files.createDirectories(file.getParent());
    ImageIO.write(indexed, "png", file.toFile());
  }

  /** Index of the colour of the palette with the smallest difference. */
  private static int nearest(int[] palette, int colour) {
    int best = 0;
    for (int index = 1; index < palette.length; index++) {
      if (distance(palette[index], colour) < distance(palette[best], colour)) {
        best = index;
      }
    }
    return best;
  }

  /** The largest difference of a part of two colours. */
  private static int distance(int one, int other) {
    return List.of(0, 8, 16).stream()
        .mapToInt(shift -> Math.abs((one >> shift & 0xff) - (other >> shift & 0xff)))
        .max()
        .orElseThrow();
  }

  /** Fails when a page looks different from its picture in the documentation. */
  @Test
  void thePicturesOfTheDocumentationShowThePages() throws IOException {
    long bytes = 0;
    for (Map.Entry<String, String> page : pages.entrySet()) {
      String scheme = page.getKey().equals("map") ? "dark" : "light";
      Path file = PICTURES.resolve(page.getKey() + ".png");
      BufferedImage now = picture(page.getValue(), scheme);
      if (UPDATE) {
        write(now, file);
      }
      double difference = difference(ImageIO.read(file.toFile()), now);
      System.out.printf(
          "console: the picture of %s differs in %.1f %% of its squares%n",
          page.getKey(), 100 * difference);
      assertThat(difference).as(page.getKey()).isLessThan(MOST_SQUARES);
      bytes += Files.size(file);
    }
    assertThat(bytes).isLessThan(MOST_BYTES);
  }

  /** Fails when another page would match. */
  @Test
  void aPictureOfAnotherPageDiffers() {
    BufferedImage jobs = picture(pages.get("jobs"), "light");
    assertThat(difference(jobs, picture(pages.get("quotas"), "light"))).isGreaterThan(MOST_SQUARES);
    assertThat(difference(jobs, picture(pages.get("jobs"), "dark"))).isGreaterThan(0.5);
  }
}
