package dev.fairlead.e2e;

import java.util.List;
import tools.jackson.databind.JsonNode;

/** Rows of another tenant and of a sibling project, which must remain unchanged. */
record OthersRows(Http http) {
  private static final List<String> KEPT =
      List.of("id", "name", "user", "state", "role", "displayName", "weight", "revokedAt");

  /** Returns the rows as one text, with the headers that name each tenant. */
  String text(String[] other, String[] tenant) {
    List<String> theirs =
        List.of(
            "jobs",
            "projects",
            "quotas",
            "tokens",
            "projects/rival-nlp/members",
            "tenants/rival/members",
            "tenants");
    List<String> siblings = List.of("projects/sibling/jobs", "projects/sibling/members");
    StringBuilder all = new StringBuilder();
    theirs.forEach(list -> all.append(kept(list, other)));
    siblings.forEach(list -> all.append(kept(list, tenant)));
    return all.toString();
  }

  /** Fields that only callers change. Use, versions and explanations change by themselves. */
  private String kept(String list, String... headers) {
    StringBuilder kept = new StringBuilder(list);
    for (JsonNode item : http.get("/api/v1/" + list, headers).json().get("items")) {
      for (String field : KEPT) {
        kept.append(' ').append(item.path(field).asString(""));
      }
      kept.append('\n');
    }
    return kept.toString();
  }
}
