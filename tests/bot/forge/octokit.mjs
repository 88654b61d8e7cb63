// GitHub's own JavaScript client against the forge: an outside check that both mean the same GitHub.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const plan = JSON.parse(readFileSync(0, "utf8"));
const require = createRequire(`${plan.modules}/`);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { App } = await load("@octokit/app");
const { Octokit } = await load("@octokit/core");

const app = new App({
  appId: plan.appId,
  privateKey: plan.privateKey,
  webhooks: { secret: plan.secret },
  Octokit: Octokit.defaults({ baseUrl: `${plan.web}/api/v3` }),
});
const [owner, repo] = plan.repository.split("/");
const where = { owner, repo };
const seen = {};

const { data: installation } = await app.octokit.request("GET /repos/{owner}/{repo}/installation", where);
const octokit = await app.getInstallationOctokit(installation.id);
const { data: pull } = await octokit.request("GET /repos/{owner}/{repo}/pulls/{pull_number}", { ...where, pull_number: plan.number });
seen.title = pull.title;
const { data: comment } = await octokit.request("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", { ...where, issue_number: plan.number, body: "from JavaScript" });
seen.author = comment.user.login;
seen.via = comment.performed_via_github_app.id;
await octokit.request("POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions", { ...where, comment_id: comment.id, content: "rocket" });
const { data: run } = await octokit.request("POST /repos/{owner}/{repo}/check-runs", { ...where, name: "Octokit", head_sha: pull.head.sha, status: "completed", conclusion: "success", output: { title: "t", summary: "s" } });
seen.conclusion = run.conclusion;
const { data: listed } = await octokit.request("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", { ...where, ref: pull.head.sha });
seen.listed = listed.total_count;
seen.repositories = 0;
for await (const { repository } of app.eachRepository.iterator()) {
  if (repository.full_name === plan.repository) seen.repositories += 1;
}
const answer = await octokit.graphql("query ClosingIssues($owner: String!, $name: String!, $number: Int!) { repository(owner: $owner, name: $name) { pullRequest(number: $number) { closingIssuesReferences(first: 20) { nodes { number repository { nameWithOwner } } } } } }", { owner, name: repo, number: plan.number });
seen.closing = answer.repository.pullRequest.closingIssuesReferences.nodes.length;
seen.signed = await app.webhooks.verify(plan.payload, plan.signature);
try {
  await octokit.request("GET /repos/{owner}/{repo}/issues/{issue_number}", { ...where, issue_number: 999 });
} catch (error) {
  seen.missing = error.status;
}
console.log(JSON.stringify(seen));
