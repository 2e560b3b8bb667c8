package dev.fairlead.kernel.body;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A body as a tree, with its original bytes. */
public final class Body {
  private final JsonNode tree;
  private final byte[] bytes;

  Body(JsonNode tree, byte[] bytes) {
    this.tree = tree;
    this.bytes = bytes;
  }

  /**
   * Returns the body, which must be an object. Problems of its content are added to the list.
   *
   * @throws dev.fairlead.kernel.problem.Refusal MALFORMED_BODY unless it is an object
   */
  public Value value(FieldProblems problems) {
    if (!tree.isObject()) {
      throw Malformed.of(
          "The body must be an object with named fields, not " + Value.kind(tree) + ".");
    }
    return new Value(tree, "", problems);
  }

  /** Like {@link #value}, as its fields. */
  public Fields fields(FieldProblems problems) {
    return value(problems).fields().orElseThrow();
  }

  /** Returns whether the field is null, which removes it in a merge patch. */
  public boolean removes(String name) {
    return tree.path(name).isNull();
  }

  /** A value as JSON text. */
  public static String text(Object value) {
    return StrictJson.write(StrictJson.tree(value));
  }

  /** Reads a JSON object that {@link #text} wrote. */
  public static Map<String, Object> object(String text) {
    return StrictJson.object(text);
  }

  /** SHA-256 over the operation and the bytes, as hex. */
  public String hash(String operation) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(operation.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
      return HexFormat.of().formatHex(digest.digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns whether this patch makes an object larger than before and larger than the limit.
   *
   * @param bytes size of the object as JSON
   * @throws dev.fairlead.kernel.problem.Refusal MALFORMED_BODY unless it is an object
   */
  public boolean growsBeyond(Object current, int bytes) {
    int before = StrictJson.write(StrictJson.tree(current)).getBytes(StandardCharsets.UTF_8).length;
    return StrictJson.isLarger(appliedTo(current).tree, Math.max(bytes, before));
  }

  /**
   * Applies this body as a merge patch (RFC 7396) to an object.
   *
   * @throws dev.fairlead.kernel.problem.Refusal MALFORMED_BODY unless it is an object
   */
  public Body appliedTo(Object current) {
    fields(new FieldProblems());
    return new Body(MergePatch.apply(StrictJson.tree(current), tree), bytes);
  }
}
