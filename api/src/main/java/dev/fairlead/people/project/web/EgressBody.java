package dev.fairlead.people.project.web;

import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.EgressCidr;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Addresses that pods of a project may reach, in request and response bodies. */
final class EgressBody {
  private static final int LONGEST = 50;

  private EgressBody() {}

  /**
   * @param mode mode: OPEN, or STRICT for DNS, the gang and {@code cidrs} only
   * @param cidrs address ranges, at most 50, such as 10.0.0.0/8
   */
  record EgressResponse(Egress.Mode mode, List<String> cidrs) {
    static EgressResponse of(Egress egress) {
      return new EgressResponse(egress.mode(), egress.cidrs());
    }
  }

  /**
   * The new addresses that pods of a project may reach.
   *
   * @param mode mode: OPEN, or STRICT for DNS, the gang and {@code cidrs} only
   * @param cidrs address ranges, at most 50, none when absent
   */
  @Schema(name = "EgressRequest")
  record EgressRequest(Egress.Mode mode, @Nullable List<String> cidrs) {}

  /** Returns empty, with problems, if the value is not valid. */
  static Optional<Egress> read(Value value) {
    Optional<Fields> object = value.fields();
    if (object.isEmpty()) {
      return Optional.empty();
    }
    Fields fields = object.get();
    Optional<Egress.Mode> mode =
        fields.required("mode", "OPEN or STRICT.").flatMap(v -> v.choice(Egress.Mode.class));
    List<String> cidrs =
        fields.get("cidrs").map(v -> v.texts(Egress.MOST_CIDRS, LONGEST)).orElse(List.of());
    fields.done();
    for (String cidr : cidrs) {
      if (EgressCidr.parse(cidr).isEmpty()) {
        fields.refuse(
            "cidrs",
            ProblemCode.INVALID_FIELD,
            "must contain ranges such as 10.0.0.0/8 or 2001:db8::/32, without host bits, not \""
                + cidr
                + "\"",
            null);
      }
    }
    if (mode.isPresent() && mode.get() == Egress.Mode.OPEN && !cidrs.isEmpty()) {
      fields.refuse(
          "cidrs",
          ProblemCode.INVALID_FIELD,
          "cidrs apply to mode STRICT only, since OPEN already reaches them.",
          null);
    }
    return mode.map(one -> new Egress(one, cidrs));
  }
}
