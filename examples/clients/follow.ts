// Submits a job and follows it, with the client that openapi-generator writes for typescript-fetch.
import { Configuration, JobsApi } from './client';

const jobs = new JobsApi(
  new Configuration({
    basePath: process.env.FAIRLEAD_URL,
    accessToken: process.env.FAIRLEAD_TOKEN,
  }),
);
const ends = ['SUCCEEDED', 'FAILED', 'CANCELLED'];

async function main(): Promise<void> {
  const job = await jobs.submitJob({
    project: 'default',
    submitJobRequest: {
      name: 'client-typescript',
      image: 'busybox:1.37',
      command: ['true'],
      cpu: '1',
      annotations: { 'sim.fairlead.dev/run-for': '1s' },
    },
  });
  for (;;) {
    const page = await jobs.listProjectJobs({ project: 'default', name: 'client-typescript' });
    const state = page.items.find((each) => each.id === job.id)?.state;
    if (state !== undefined && ends.includes(state)) {
      const events = await jobs.listJobEvents({ job: job.id });
      console.log(state, ...events.items.map((event) => event.type));
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
