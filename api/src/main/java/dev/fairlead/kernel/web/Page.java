package dev.fairlead.kernel.web;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/**
 * A page of a list.
 *
 * @param nextPageToken hand it back as {@code pageToken} for the next page; null at the end
 */
public record Page<T>(List<T> items, @Nullable String nextPageToken) {
  /** Items of a page unless the caller says otherwise. */
  public static final String SIZE = "50";

  public static final int MOST = 500;

  /** A list that fits on one page. */
  public static <T> Page<T> whole(List<T> items) {
    return new Page<>(items, null);
  }

  /**
   * The page as an answer, with a {@code Link} to the next one. To be called while the request is
   * served.
   */
  public ResponseEntity<Page<T>> answer() {
    if (nextPageToken == null) {
      return ResponseEntity.ok(this);
    }
    String next =
        ServletUriComponentsBuilder.fromCurrentRequest()
            .replaceQueryParam("pageToken", nextPageToken)
            .scheme(null)
            .host(null)
            .port(null)
            .build()
            .toUriString();
    return ResponseEntity.ok().header(HttpHeaders.LINK, "<" + next + ">; rel=\"next\"").body(this);
  }
}
