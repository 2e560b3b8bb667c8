/** What a supervisor knows of its cluster: how it answers, its state, its nodes. */
@NullMarked
package dev.fairlead.work.workload.service.contact;

import org.jspecify.annotations.NullMarked;
