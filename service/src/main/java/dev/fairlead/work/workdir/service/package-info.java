/** Uploads, reads and deletes the code of jobs. */
@NullMarked
package dev.fairlead.work.workdir.service;

import org.jspecify.annotations.NullMarked;
