package dev.fairlead.kernel.loop;

import org.hibernate.validator.constraints.Range;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * An operator's setting after a restore.
 *
 * @param raiseIncarnationFrom incarnation of the database that becomes the live database, 0 for
 *     none
 */
@Validated
@ConfigurationProperties("fairlead.installation")
record InstallationSettings(
    @DefaultValue("0")
        @Range(
            max = 1_000_000_000,
            message = "must be from 0 to 1000000000, the incarnation of this database (default 0)")
        int raiseIncarnationFrom) {}
