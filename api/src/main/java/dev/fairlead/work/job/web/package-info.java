/** REST endpoints of jobs: the job spec, and jobs, attempts, explanations and events. */
@NullMarked
package dev.fairlead.work.job.web;

import org.jspecify.annotations.NullMarked;
