// Asks a running demonstration by the client that openapi-generator has generated.
import { AlibabaCloudSTSApi, Configuration, CountersignApi, ProblemFromJSON, QiniuKodoApi, ResponseError } from "./client";

declare const process: { argv: string[]; exitCode: number };

const [basePath, adminPath] = process.argv.slice(2);

function expect(holds: boolean, what: unknown): void {
    if (!holds) throw new Error("unexpected: " + JSON.stringify(what));
}

/** The error document of a call that must be refused. */
async function refusal(call: Promise<unknown>) {
    try {
        await call;
    } catch (error) {
        if (error instanceof ResponseError) return ProblemFromJSON(await error.response.json());
        throw error;
    }
    throw new Error("it is not refused");
}

async function run(): Promise<void> {
    const configuration = new Configuration({ basePath });
    const qiniu = new QiniuKodoApi(configuration);
    const own = new CountersignApi(configuration);

    expect((await own.livez()).status === "ok", "livez");

    const given = await qiniu.qiniuUptoken({ key: "photos/a.jpg", expires: 600 });
    expect(given.key === "photos/a.jpg" && given.grant === "photos" && given.expiresIn === 600 && !!given.uptoken, given);

    const posted = await qiniu.qiniuUptokenPost({ qiniuUptokenPostRequest: { key: "photos/b.jpg" } });
    expect(posted.key === "photos/b.jpg", posted);

    const refused = await refusal(qiniu.qiniuUptoken({ key: "private/a.jpg" }));
    expect(refused.status === 403 && refused.code === "not_in_grant" && refused.clause === "keyPrefix", refused);

    const wrong = new CountersignApi(new Configuration({ basePath, accessToken: "no-such-key" }));
    expect((await refusal(wrong.grants())).code === "unauthenticated", "a wrong key");
    const names = ((await own.grants()).grants ?? []).map((grant: any) => grant.name);
    expect(names.includes("photos"), names);

    const session = await new AlibabaCloudSTSApi(configuration).distributeToken();
    expect(session.statusCode === 200 && !!session.securityToken, session);

    const admin = new CountersignApi(new Configuration({ basePath: adminPath }));
    const told = await admin.explain({ explainRequest: { caller: "anonymous", route: "qiniu.uptoken" } });
    expect(told.verdict === "allow" || told.verdict === "deny", told);

    console.log("TypeScript: 8 calls");
}

run().catch((error) => {
    console.error(error);
    process.exitCode = 1;
});
