/** Use cases of jobs. */
@NullMarked
package dev.fairlead.work.job.service;

import org.jspecify.annotations.NullMarked;
