package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The pictures of the documentation show the console as it is. {@code -Dfairlead.update=true} writes
 * them again.
 */
@Tag("long")
class ConsolePicturesIT {
  private static final Path PICTURES =
      Path.of(System.getProperty("fairlead.root", ".."), "docs", "reference", "console");
  private static final boolean UPDATE = Boolean.getBoolean("fairlead.update");
  private static final int WIDTH = 1200;
  private static final int HEIGHT = 750;

  /** Pictures are compared in squares, so that other fonts of the same size make no difference. */
  private static final int SQUARE = 30;

  private static final int MOST_DIFFERENCE = 24;
  private static final double MOST_SQUARES = 0.04;
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

  /** Times, durations and ids are those of the run: each becomes the same text. */
  private static BufferedImage picture(String hash, String scheme) {
    browser.scheme(scheme);
    scene.open(hash);
    browser.until("document.querySelector('main section') && !document.querySelector('[aria-busy=true]')");
    browser.evaluate(
        """
        (async () => {
          await document.fonts.ready;
          const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          for (let text = walk.nextNode(); text; text = walk.nextNode()) {
            text.data = text.data
              .replace(/job_[0-9a-z]{26}/g, 'job_01m7vxn2c4e0mtrw2g5kqy8v3d')
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
        int a = first.getRGB(x, y);
        int b = second.getRGB(x, y);
        int most = 0;
        for (int part = 0; part < 3; part++) {
          most = Math.max(most, Math.abs((a >> (8 * part) & 0xff) - (b >> (8 * part) & 0xff)));
        }
        different += most > MOST_DIFFERENCE ? 1 : 0;
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
    Graphics2D graphics = indexed.createGraphics();
    graphics.drawImage(picture, 0, 0, null);
    graphics.dispose();
    Files.createDirectories(file.getParent());
    ImageIO.write(indexed, "png", file.toFile());
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

  /** Fails when another page would pass for the right one. */
  @Test
  void aPictureOfAnotherPageDiffers() {
    BufferedImage jobs = picture(pages.get("jobs"), "light");
    assertThat(difference(jobs, picture(pages.get("quotas"), "light"))).isGreaterThan(MOST_SQUARES);
    assertThat(difference(jobs, picture(pages.get("jobs"), "dark"))).isGreaterThan(0.5);
  }
}
