/** Rules of new jobs: names, limits, policies and preflight. */
@NullMarked
package dev.fairlead.work.job.submit;

import org.jspecify.annotations.NullMarked;
