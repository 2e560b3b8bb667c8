/** Reads the audit, and writes denials to it. */
@NullMarked
package dev.fairlead.people.audit.service;

import org.jspecify.annotations.NullMarked;
