/**
 * Request and response forms of a job spec: each part is read with its defaults or refused by
 * field, and returned complete.
 */
@NullMarked
package dev.fairlead.work.job.web.spec;

import org.jspecify.annotations.NullMarked;
