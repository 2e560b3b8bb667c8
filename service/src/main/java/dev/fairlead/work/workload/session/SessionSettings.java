package dev.fairlead.work.workload.session;

import jakarta.validation.constraints.Pattern;
import java.time.Duration;
import org.hibernate.validator.constraints.Range;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Bounds of the sessions in members.
 *
 * @param most sessions of a process, of which a caller has at most half
 * @param idle time without data in either direction after which a session ends
 * @param longest duration of a session
 * @param url address below whose host each session of a browser has a host of its own, empty for no
 *     pages of sessions
 */
@Validated
@ConfigurationProperties("fairlead.sessions")
record SessionSettings(
    @DefaultValue("500")
        @Range(min = 2, max = 10_000, message = "must be from 2 to 10000 (default 500)")
        int most,
    @DefaultValue("1h")
        @DurationMin(seconds = 10, message = "must be from 10s to 7d (default 1h)")
        @DurationMax(days = 7, message = "must be from 10s to 7d (default 1h)")
        Duration idle,
    @DefaultValue("12h")
        @DurationMin(seconds = 10, message = "must be from 10s to 7d (default 12h)")
        @DurationMax(days = 7, message = "must be from 10s to 7d (default 12h)")
        Duration longest,
    @DefaultValue("")
        @Pattern(
            regexp =
                "|https://([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)*[a-z]([a-z0-9-]*[a-z0-9])?(:[0-9]{1,5})?"
                    + "|http://([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)*localhost(:[0-9]{1,5})?",
            message =
                "must be https://HOST, or http://HOST for a host below localhost, without a path")
        String url) {}
