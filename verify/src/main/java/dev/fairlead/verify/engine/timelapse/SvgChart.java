package dev.fairlead.verify.engine.timelapse;

import java.util.List;
import java.util.Locale;

/**
 * A picture in SVG with one plot: axes with labels, lines, areas, a legend. Its background makes it
 * readable on light and dark pages.
 */
final class SvgChart {
  private static final int WIDTH = 960;
  private static final int HEIGHT = 420;
  private static final int LEFT = 72;
  private static final int RIGHT = 190;
  private static final int TOP = 44;
  private static final int BOTTOM = 52;

  private final StringBuilder svg = new StringBuilder();
  private final double maxX;
  private final double maxY;
  private int legend;

  /** A point of a line, in the units of the axes. */
  record Point(double x, double y) {}

  /**
   * @param maxX right end of the axis, above 0
   * @param maxY upper end of the axis, above 0
   */
  SvgChart(String title, double maxX, double maxY) {
    this.maxX = Math.max(1e-9, maxX);
    this.maxY = Math.max(1e-9, maxY);
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">%n"
            .formatted(WIDTH, HEIGHT));
    svg.append("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>%n".formatted(WIDTH, HEIGHT));
    text(LEFT, 24, "start", 16, title);
  }

  SvgChart axis(String x, List<String> xMarks, String y, List<String> yMarks) {
    int bottom = HEIGHT - BOTTOM;
    for (int i = 0; i < yMarks.size(); i++) {
      double at = bottom - (double) (bottom - TOP) * i / Math.max(1, yMarks.size() - 1);
      svg.append(
          "<line x1=\"%d\" y1=\"%s\" x2=\"%d\" y2=\"%s\" stroke=\"#dddddd\"/>%n"
              .formatted(LEFT, number(at), WIDTH - RIGHT, number(at)));
      text(LEFT - 8, at + 4, "end", 12, yMarks.get(i));
    }
    for (int i = 0; i < xMarks.size(); i++) {
      double at = LEFT + (double) (WIDTH - RIGHT - LEFT) * i / Math.max(1, xMarks.size() - 1);
      text(at, bottom + 18, "middle", 12, xMarks.get(i));
    }
    text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", 13, x);
    text(LEFT, TOP - 6, "start", 13, y);
    svg.append(
        "<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"#333333\"/>%n"
            .formatted(LEFT, TOP, bottom, WIDTH - RIGHT));
    return this;
  }

  SvgChart line(String name, String colour, List<Point> points) {
    svg.append(
        "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"/>%n"
            .formatted(path(points), colour));
    return entry(name, colour);
  }

  /** The area between a line and the axis. */
  SvgChart area(String name, String colour, List<Point> points) {
    if (!points.isEmpty()) {
      svg.append(
          "<path d=\"%s L%s %s L%s %s Z\" fill=\"%s\"/>%n"
              .formatted(
                  path(points),
                  number(x(points.getLast().x())),
                  number(y(0)),
                  number(x(points.getFirst().x())),
                  number(y(0)),
                  colour));
    }
    return entry(name, colour);
  }

  private SvgChart entry(String name, String colour) {
    int at = TOP + 12 + 22 * legend++;
    svg.append(
        "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"14\" fill=\"%s\"/>%n"
            .formatted(WIDTH - RIGHT + 16, at - 12, colour));
    text(WIDTH - RIGHT + 36, at, "start", 12, name);
    return this;
  }

  String done() {
    return svg + "</svg>" + System.lineSeparator();
  }

  private String path(List<Point> points) {
    StringBuilder path = new StringBuilder();
    for (Point p : points) {
      path.append(path.isEmpty() ? "M" : " L");
      path.append(number(x(p.x()))).append(' ').append(number(y(p.y())));
    }
    return path.toString();
  }

  private double x(double value) {
    return LEFT + (WIDTH - RIGHT - LEFT) * Math.clamp(value / maxX, 0, 1);
  }

  private double y(double value) {
    int bottom = HEIGHT - BOTTOM;
    return bottom - (bottom - TOP) * Math.clamp(value / maxY, 0, 1);
  }

  private void text(double x, double y, String anchor, int size, String text) {
    String safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    svg.append(
        "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" font-size=\"%d\" fill=\"#222222\">%s</text>%n"
            .formatted(number(x), number(y), anchor, size, safe));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }
}
