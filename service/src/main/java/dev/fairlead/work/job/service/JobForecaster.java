package dev.fairlead.work.job.service;

import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceStore;
import dev.fairlead.money.price.Quote;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.Forecast;
import dev.fairlead.work.job.estimate.JobForecasts;
import dev.fairlead.work.job.estimate.PreemptionRisk;
import dev.fairlead.work.job.service.query.JobView;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.job.service.submit.NewJobs;
import dev.fairlead.work.job.service.submit.SubmitRules;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.submit.FeasibilityCheck;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Forecasts the placement of a spec, and the preemption risk of a job. Stores nothing. */
@Service
public class JobForecaster {
  private final Transactions transactions;
  private final NewJobs newJobs;
  private final SubmitRules rules;
  private final JobForecasts forecasts;
  private final PriceStore prices;

  public JobForecaster(
      Transactions transactions,
      JobStore jobs,
      SubmitRules rules,
      JobForecasts forecasts,
      PriceStore prices,
      IdSource ids) {
    this.transactions = transactions;
    this.newJobs = new NewJobs(ids, rules, jobs);
    this.rules = rules;
    this.forecasts = forecasts;
    this.prices = prices;
  }

  /**
   * A forecast with warnings for its submitter.
   *
   * @param job the job as a submit would store it
   * @param quotes cost of an element at each candidate, in their order
   */
  public record Planned(Job job, Forecast forecast, List<Quote> quotes, List<String> warnings) {
    public Planned {
      quotes = List.copyOf(quotes);
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * Plans the job. The snapshot is read and planned outside the caller's transaction.
   *
   * @throws dev.fairlead.kernel.problem.Refusal NOT_FOUND (project), INVALID_FIELD (queue),
   *     RATE_LIMITED
   */
  public Planned plan(Actor actor, String project, NewJob wanted) {
    List<String> warnings = new ArrayList<>();
    FeasibilityCheck.OfFleet fleet = rules.fleet(List.of(wanted));
    Job job =
        transactions.read(() -> {
          Project owner = rules.project(actor, project);
          NewJobs.Making making = newJobs.making(actor, owner, fleet, List.of(wanted));
          Job made = making.made(0);
          if (making.taken(made.name())) {
            warnings.add("An active job of this project is named " + made.name() + " already.");
          }
          warnings.addAll(rules.warnings(owner));
          return made;
        });
    warnings.addAll(fleet.warnings(job));
    Forecast forecast = forecasts.of(job);
    return new Planned(job, forecast, quotes(job, forecast), warnings);
  }

  /** Jobs that may preempt a job that the caller may read, null when it has ended. */
  public @Nullable PreemptionRisk risk(JobView view) {
    return view.job().run().ended()
        ? null
        : transactions.read(() -> forecasts.risk(view.job(), view.attempt()));
  }

  private List<Quote> quotes(Job job, Forecast forecast) {
    PriceBook book = prices.book(job.tenant());
    return forecast.candidates().stream()
        .map(c -> Quote.of(book, c.demand(), forecast.asOf(), job.spec().maxRuntime()))
        .toList();
  }
}
